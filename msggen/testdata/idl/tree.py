"""Prints what the IDL parser of ROS 2 makes of files, one JSON object per file and line.

Usage: tree.py DIR FILE...
"""
import json
import pathlib
import sys

from rosidl_parser import definition, parser


def type_name(t):
    if isinstance(t, definition.Array):
        return f'{type_name(t.value_type)}[{t.size}]'
    if isinstance(t, definition.BoundedSequence):
        return f'sequence<{type_name(t.value_type)}, {t.maximum_size}>'
    if isinstance(t, definition.UnboundedSequence):
        return f'sequence<{type_name(t.value_type)}>'
    if isinstance(t, definition.NamespacedType):
        return '::'.join(t.namespaced_name())
    if isinstance(t, definition.BoundedString):
        return f'string<{t.maximum_size}>'
    if isinstance(t, definition.BoundedWString):
        return f'wstring<{t.maximum_size}>'
    if isinstance(t, definition.AbstractGenericString):
        return 'wstring' if isinstance(t, definition.AbstractWString) else 'string'
    return t.typename


def annotations(element):
    return {a.name: a.value for a in element.annotations}


def message(m):
    return {
        'name': type_name(m.structure.namespaced_type),
        'annotations': annotations(m.structure),
        'fields': [{'name': f.name, 'type': type_name(f.type), 'annotations': annotations(f)}
                   for f in m.structure.members],
        'constants': [{'name': c.name, 'type': type_name(c.type), 'value': c.value, 'annotations': annotations(c)}
                      for c in m.constants],
    }


def messages(content):
    for m in content.get_elements_of_type(definition.Message):
        yield m
    for s in content.get_elements_of_type(definition.Service):
        yield from (s.request_message, s.response_message)
    for a in content.get_elements_of_type(definition.Action):
        yield from (a.goal, a.result, a.feedback)


def main(directory, *files):
    for name in files:
        locator = definition.IdlLocator(pathlib.Path(directory), pathlib.Path(name))
        content = parser.parse_idl_file(locator).content
        print(json.dumps({
            'file': name,
            'includes': [i.locator for i in content.get_elements_of_type(definition.Include)],
            'messages': [message(m) for m in messages(content)],
        }))


main(*sys.argv[1:])
