"""What can be wrong with one post."""


class PostError(ValueError):
    """A post that cannot be read; the message is the reason, in words its author can act on.

    `post_id` is its id where it is known, so that an earlier version of it can stay in the index.
    """

    def __init__(self, reason: str, post_id: str | None = None) -> None:
        super().__init__(reason)
        self.post_id = post_id
