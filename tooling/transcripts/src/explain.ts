const isHeading = (line: string): boolean => /^[A-Z]+:/.test(line)
const isField = (line: string): boolean =>
  isHeading(line) || /^ +\S+\t/.test(line) || line.trimStart().startsWith("enum: ")

/** `kubectl explain` with one `<DOC>` for each run of documentation; fields, types and enums stay as they are. */
export const maskDocumentation = (text: string): string => {
  const result: Array<string> = []
  let inWords = false
  for (const line of text.split("\n")) {
    const isBlank = line.trim() === ""
    if (isBlank && inWords) continue
    if (isBlank || isField(line)) {
      if (inWords && isHeading(line)) result.push("")
      result.push(line)
      inWords = false
    } else {
      if (!inWords) result.push(`${/^ */.exec(line)?.[0] ?? ""}<DOC>`)
      inWords = true
    }
  }
  return `${result.join("\n").replace(/\n+$/, "")}\n`
}
