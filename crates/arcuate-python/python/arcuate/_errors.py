"""What goes wrong, and what should be known of results."""


class ArcuateError(Exception):
    """Something went wrong: one line that says what, of which argument or file, and what to do about it."""


class InputError(ArcuateError, ValueError):
    """An argument, or what is in a file or an array, cannot be meant."""


class WriteError(ArcuateError, OSError):
    """A result could not be written."""


class DeviceError(ArcuateError, RuntimeError):
    """A GPU, or its driver, refused, or its memory ran out."""


class ArcuateWarning(UserWarning):
    """Something that should be known of a result."""
