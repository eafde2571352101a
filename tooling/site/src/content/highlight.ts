import hljs from "highlight.js/lib/core"
import bash from "highlight.js/lib/languages/bash"
import go from "highlight.js/lib/languages/go"
import ini from "highlight.js/lib/languages/ini"
import javascript from "highlight.js/lib/languages/javascript"
import json from "highlight.js/lib/languages/json"
import python from "highlight.js/lib/languages/python"
import typescript from "highlight.js/lib/languages/typescript"
import yaml from "highlight.js/lib/languages/yaml"
import { escapeHtml } from "./escape.ts"

const languages = { bash, go, ini, javascript, json, python, typescript, yaml }
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language)

/** Returns code as HTML with a class for each kind of token; as plain text in a language that is not known. */
export const highlight = (code: string, language: string): string =>
  hljs.getLanguage(language) === undefined
    ? escapeHtml(code)
    : hljs.highlight(code, { language, ignoreIllegals: true }).value

/** Returns a block of code, which scrolls inside itself. */
export const codeBlock = (code: string, language: string): string => {
  const name = language === "" ? "text" : escapeHtml(language)
  return `<div class="code"><pre tabindex="0"><code class="language-${name}">${highlight(code, language)}</code></pre></div>\n`
}
