"""Property tests without a clock: how long an example takes depends on the machine."""

from hypothesis import settings

settings.register_profile("no clock", deadline=None, max_examples=60)
settings.load_profile("no clock")
