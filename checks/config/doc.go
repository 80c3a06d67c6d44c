// Package config answers "what does the repository want of its gate?": it reads
// .github/tilegym.yml. It must not look at a pull request, a clock or a file
// system, and it never ignores a field or a value that it does not understand.
package config
