"""Light stand-ins for `dataclasses`, `typing` and `hashlib` in what a hook loads: those cost more than its whole work.

To a type checker these are the standard library's own. At run time a dataclass is finished only when somebody asks
for more than its instances; until then it costs next to nothing. No inheritance between such classes.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
    from hashlib import sha256
    from re import compile as late
    from typing import NamedTuple, cast
else:
    import re
    from _thread import allocate_lock
    from collections import namedtuple

    try:  # as `random` does: OpenSSL's bindings cost two milliseconds
        from _sha2 import sha256
    except ImportError:
        try:
            from _sha256 import sha256
        except ImportError:
            from hashlib import sha256

    _REQUIRED = object()
    _finishing = allocate_lock()

    class _Field:
        """A field's default as it was given, until the class is finished."""

        def __init__(self, **options):
            self.options = options

        def value(self):
            """The default of one instance."""
            if "default_factory" in self.options:
                return self.options["default_factory"]()
            return self.options.get("default", _REQUIRED)

    field = _Field

    class _Unfinished:
        """Stands where a dataclass keeps its fields: `fields`, `replace`, `asdict` and `is_dataclass` look there."""

        def __init__(self, given, options):
            self._given, self._options = given, options

        def __get__(self, _instance, owner):
            """The fields; the class is a true dataclass from now on."""
            import dataclasses

            with _finishing:
                if owner.__dict__["__dataclass_fields__"] is self:
                    for name, method in _STUBS.items():
                        if owner.__dict__.get(name) is method:
                            delattr(owner, name)
                    for name, default in self._given.items():
                        if isinstance(default, _Field):
                            setattr(owner, name, dataclasses.field(**default.options))
                    dataclasses.dataclass(**self._options)(owner)
            return owner.__dict__["__dataclass_fields__"]

    def _stub(name):
        """A method that finishes the class and calls what it has then."""

        def call(self, *given):
            type(self).__dataclass_fields__  # noqa: B018 - looking is what finishes it
            return getattr(type(self), name)(self, *given)

        return call

    _STUBS = {name: _stub(name) for name in ("__eq__", "__repr__", "__hash__", "__setattr__")}

    def dataclass(cls=None, /, *, slots=False, **options):
        """As `dataclasses.dataclass`, without its cost at import. `slots` is for the type checker alone."""
        if cls is None:
            return lambda cls: dataclass(cls, **options)
        names = tuple(cls.__annotations__)
        given = {name: cls.__dict__[name] for name in names if name in cls.__dict__}

        def __init__(self, *values, **named):
            state = self.__dict__
            state.update(zip(names, values, strict=False))
            state.update(named)
            for name in names:
                if name not in state:
                    default = given.get(name, _REQUIRED)
                    state[name] = default.value() if isinstance(default, _Field) else default
            missing = any(value is _REQUIRED for value in state.values())
            if missing or len(state) != len(names) or len(values) > len(names):
                raise TypeError(f"{cls.__name__} takes {', '.join(names)}, not {values!r} and {named!r}")

        cls.__init__, cls.__match_args__ = __init__, names
        for name, method in _STUBS.items():
            if name not in cls.__dict__ and (name != "__setattr__" or options.get("frozen")):
                setattr(cls, name, method)
        cls.__dataclass_fields__ = _Unfinished(given, options)
        return cls

    def _later(name):
        """A function of `dataclasses`, which is imported when it is called."""

        def call(*given, **named):
            import dataclasses

            return getattr(dataclasses, name)(*given, **named)

        return call

    asdict, fields, is_dataclass, replace = (_later(name) for name in ("asdict", "fields", "is_dataclass", "replace"))

    class _NamedTupleType(type):
        def __new__(cls, name, bases, namespace):
            if not bases:
                return super().__new__(cls, name, bases, namespace)
            names = namespace.get("__annotations__", {})
            defaults = [namespace.pop(name) for name in names if name in namespace]
            made = namedtuple(name, names, defaults=defaults, module=namespace["__module__"])
            for own in namespace.keys() - {"__qualname__", "__module__"}:
                setattr(made, own, namespace[own])
            return made

    class NamedTuple(metaclass=_NamedTupleType):
        """As `typing.NamedTuple`."""

    def cast(_kind, value):
        """As `typing.cast`."""
        return value

    class _Late:
        """A pattern that is compiled when it is first used, and after that costs nothing more than a pattern."""

        def __init__(self, source, flags):
            self._given = source, flags

        def __getattr__(self, name):
            if name.startswith("__"):
                raise AttributeError(name)
            value = getattr(re.compile(*self._given), name)  # `re` remembers what it compiled
            setattr(self, name, value)
            return value

    def late(pattern, flags=0):
        """As `re.compile`, at the first use: most patterns stand behind a literal that most texts do not hold."""
        return _Late(pattern, flags)


__all__ = [
    "TYPE_CHECKING", "NamedTuple", "asdict", "cast", "dataclass", "field", "fields", "is_dataclass", "late", "replace",
    "sha256",
]  # fmt: skip
