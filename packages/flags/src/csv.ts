import * as Result from "effect/Result"

const bareQuoteError = (column: number) => `parse error on line 1, column ${column}: bare " in non-quoted field`
const strayQuoteError = (column: number) =>
  `parse error on line 1, column ${column}: extraneous or missing " in quoted-field`

/** Reads a quoted text from `start`. Returns the text and its end, or an error. */
const readQuoted = (line: string, start: number): Result.Result<readonly [text: string, end: number], string> => {
  let text = ""
  for (let at = start + 1; ; ) {
    const quote = line.indexOf('"', at)
    if (quote < 0) return Result.fail(strayQuoteError(line.length + 1))
    text += line.slice(at, quote)
    if (line[quote + 1] !== '"') return Result.succeed([text, quote + 1])
    text += '"'
    at = quote + 2
  }
}

/**
 * Reads the texts of one line, separated by commas; a quoted text may contain commas. Upstream: Go's encoding/csv, as
 * pflag uses it.
 */
export const readCsv = (line: string): Result.Result<ReadonlyArray<string>, string> => {
  if (line === "") return Result.succeed([])
  const texts: Array<string> = []
  for (let at = 0; at <= line.length; ) {
    if (line[at] === '"') {
      const quoted = readQuoted(line, at)
      if (Result.isFailure(quoted)) return Result.fail(quoted.failure)
      const [text, end] = quoted.success
      if (end < line.length && line[end] !== ",") return Result.fail(strayQuoteError(end))
      texts.push(text)
      at = end + 1
      continue
    }
    const comma = line.indexOf(",", at)
    const end = comma < 0 ? line.length : comma
    const text = line.slice(at, end)
    const quote = text.indexOf('"')
    if (quote >= 0) return Result.fail(bareQuoteError(at + quote + 1))
    texts.push(text)
    at = end + 1
  }
  return Result.succeed(texts)
}

/** Writes texts as one line for `readCsv`. */
export const writeCsv = (texts: ReadonlyArray<string>): string =>
  texts
    .map((text) =>
      /^$|["\n\r,]/.test(text) && (text !== "" || texts.length === 1) ? `"${text.replaceAll('"', '""')}"` : text
    )
    .join(",")
