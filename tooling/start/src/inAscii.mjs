/**
 * Returns a program's text in ASCII. esbuild escapes other characters in texts, but not in regular expressions, and V8 keeps a file with one
 * letter beyond Latin-1 in two bytes a letter for as long as the program runs. Texts of templates with a tag see the escapes; none has any.
 * What follows a backslash stays.
 */
export const inAscii = (/** @type {string} */ text) =>
  text.replace(/(?<!\\)[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
