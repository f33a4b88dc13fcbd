# SPDX-License-Identifier: Apache-2.0
"""nki.language.NKIObject: configuration objects of kernels."""
import dataclasses


def _fields(cls):
    """Names of a class's fields with their defaults, in order: annotated names first, then other class attributes."""
    fields = {}
    for base in reversed(cls.__mro__):
        for name in base.__dict__.get("__annotations__", {}):
            fields.setdefault(name, None)
            if name in base.__dict__:
                fields[name] = base.__dict__[name]
        for name, value in base.__dict__.items():
            plain = not name.startswith("__") and not callable(value) and not isinstance(value, (property, classmethod, staticmethod))
            if plain and base not in (object, NKIObject):
                fields[name] = value
    for name, field in getattr(cls, "__dataclass_fields__", {}).items():
        if field.default is not dataclasses.MISSING:
            fields[name] = field.default
        else:
            fields[name] = field
    return fields


def _default(value):
    if isinstance(value, dataclasses.Field):
        if value.default is not dataclasses.MISSING:
            return value.default
        return value.default_factory() if value.default_factory is not dataclasses.MISSING else None
    return value


def _initialise(self, *values, **named):
    fields = _fields(type(self))
    names = [name for name in fields]
    if len(values) > len(names):
        raise TypeError(f"{type(self).__name__}() takes {len(names)} fields; {len(values)} were given")
    given = dict(zip(names, values))
    for name, value in named.items():
        if name not in fields:
            raise TypeError(f"{type(self).__name__}() has no field {name!r}; expected {', '.join(names)}")
        if name in given:
            raise TypeError(f"{type(self).__name__}() got two values for field {name!r}")
        given[name] = value
    for name, default in fields.items():
        object.__setattr__(self, name, given[name] if name in given else _default(default))
    after = getattr(self, "__post_init__", None)
    if after is not None:
        after()


class NKIObject:
    """Base of configuration objects: built with positional or keyword values for the class's fields, None for missing ones."""

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        if "__init__" not in cls.__dict__:
            cls.__init__ = _initialise
