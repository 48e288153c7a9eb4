"""The HTTP application, the web page and the command line."""
