// Package commands answers "what does this comment ask tilegate to do?".
// It reads a comment's Markdown and returns typed commands or the reason why a
// line is none; it must not ask GitHub, decide who may do what, or run anything.
//
// A command is a line that starts with /tilegym and that is text of a
// paragraph at the top of the comment. Lines inside quotes, lists, tables, code
// (fenced, indented, inline), HTML comments and HTML containers such as
// <details> or <pre> are not commands. One exception follows what the writer
// typed: a line that stands at the very left margin directly below a quote or
// a list item, without a marker of its own, is a command, although Markdown
// joins it to the paragraph above.
package commands
