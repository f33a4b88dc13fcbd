# SPDX-License-Identifier: Apache-2.0
"""Sphinx's settings of the site. make.py calls Sphinx."""
# pylint: disable=invalid-name

from pygments.lexers.special import TextLexer

project = "Tahoma"
html_title = "Tahoma"
extensions = ["myst_parser"]
html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
highlight_language = "text"
smartquotes = False  # options begin with two dashes
myst_heading_anchors = 6
# The documents are written for any reader of Markdown: marks of MyST alone are text.
myst_disable_syntax = ["myst_role", "myst_target", "myst_line_comment", "myst_block_break"]


def setup(app):
    app.add_lexer("asm", TextLexer)  # Tahoma's assembler, for which Pygments has no lexer
