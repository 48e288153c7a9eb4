"""HTTP service, web page and command line: the composition root of Wenci."""
