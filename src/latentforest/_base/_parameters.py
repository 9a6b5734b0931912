"""Objects that are nothing but parameters."""

import inspect
from typing import Any, Self


class Parameters:
    """Parameters by name, as scikit-learn asks for them, which is not loaded here.

    Subclasses store what ``__init__`` is given under the same names.

    Examples
    --------
    >>> class Size(Parameters):
    ...     def __init__(self, width=1, height=1):
    ...         self.width, self.height = width, height
    >>> Size(height=2)
    Size(height=2)
    >>> Size().set_params(width=3).get_params()
    {'height': 1, 'width': 3}
    """

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: FBT001, FBT002 (scikit-learn's)
        """Return the parameters by name.

        Parameters
        ----------
        deep : bool, default=True
            Ignored: no parameter has parameters.

        Returns
        -------
        dict of str to any
        """
        return {name: getattr(self, name) for name in sorted(_defaults(type(self)))}

    def set_params(self, **params: Any) -> Self:
        """Change some of the parameters.

        Parameters
        ----------
        **params : any
            New values by name.

        Returns
        -------
        object
            This one.
        """
        known = sorted(_defaults(type(self)))
        for name, value in params.items():
            if name not in known:
                message = (
                    f"Invalid parameter {name!r} for {type(self).__name__}. Valid "
                    f"parameters are: {known!r}."
                )
                raise ValueError(message)
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults, own = _defaults(type(self)), self.get_params()
        changed = [name for name in defaults if repr(own[name]) != repr(defaults[name])]
        given = ", ".join(f"{name}={own[name]!r}" for name in changed)
        return f"{type(self).__name__}({given})"


def _defaults(cls: type) -> dict[str, Any]:
    """Return the default of each parameter, in the order of the constructor."""
    known = inspect.signature(cls).parameters
    return {name: parameter.default for name, parameter in known.items()}
