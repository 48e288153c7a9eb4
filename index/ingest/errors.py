"""What can be wrong with one post."""


class PostError(ValueError):
    """A post that cannot be read; the message is the reason, in words its author can act on."""
