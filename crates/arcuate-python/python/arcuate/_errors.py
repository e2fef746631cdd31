"""Errors and warnings of the package."""


class ArcuateError(Exception):
    """Base class of all errors. The message is one line with the argument or file, the problem, and what to do."""


class InputError(ArcuateError, ValueError):
    """Error for an invalid argument, or invalid contents of a file or array."""


class WriteError(ArcuateError, OSError):
    """Error for a result that cannot be written."""


class DeviceError(ArcuateError, RuntimeError):
    """Error for a GPU or driver that does not work, or GPU memory that ran out."""


class ArcuateWarning(UserWarning):
    """Warning about the quality or meaning of a result."""
