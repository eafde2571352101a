import { ends, endsWithUnknownOutput, type Program } from "./ProgramContext.ts"

const escapes: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  "\\": "\\",
  a: "\x07",
  '"': '"',
  e: "\x1b"
}

/** Replaces the escapes of a text, such as `\n`. */
export const unescaped = (text: string): string =>
  text.replace(/\\(.)/g, (all, letter: string) => escapes[letter] ?? all)

/** Upstream: POSIX printf, with `%s`, `%d` and `%%`; the format is used again while there are arguments. */
export const printf: Program = ([format, ...args], { world }) => {
  if (world === undefined) return endsWithUnknownOutput
  if (format === undefined) return ends(2, "", "printf: usage: printf FORMAT [ARG]...\n")
  if (/%(?![sdi%])/.test(format)) return undefined
  let output = ""
  let used = 0
  do {
    const before = used
    output += unescaped(format).replace(/%([sdi%])/g, (_, letter: string) => {
      if (letter === "%") return "%"
      const arg = args[used++]
      return letter === "s" ? (arg ?? "") : String(Number.parseInt(arg ?? "0", 10) || 0)
    })
    if (used === before) break
  } while (used < args.length)
  return ends(0, output)
}
