"""Blog posts from files: front matter, Markdown, site conventions, JSON lines."""
