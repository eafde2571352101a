import * as Schema from "effect/Schema"

/** A file was not read. The message says what was found and what is expected, without the file's name. */
export class TextFileError extends Schema.TaggedError<TextFileError>()("TextFileError", {
  reason: Schema.Literals(["missing", "folder", "tooLong", "notRegular", "silent", "failed"]),
  message: Schema.String,
  /** The error of the operating system. */
  cause: Schema.optionalKey(Schema.Defect())
}) {}

const codeOf = (cause: unknown): unknown =>
  typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined

/** Turns an error of the operating system, such as one of opening a file, into a TextFileError. */
export const systemError = (cause: unknown): TextFileError => {
  if (cause instanceof TextFileError) return cause
  const code = codeOf(cause)
  if (code === "ENOENT") return new TextFileError({ reason: "missing", message: "no such file", cause })
  if (code === "EISDIR") return folderError()
  const message = `cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`
  return new TextFileError({ reason: "failed", message, cause })
}

export const folderError = (): TextFileError =>
  new TextFileError({ reason: "folder", message: "is a folder, expected a file" })

export const notRegularError = (what: string): TextFileError =>
  new TextFileError({ reason: "notRegular", message: `is ${what}, expected a regular file` })

/** `bytes` is the length of the whole file, where it is known. */
export const tooLongError = (limitBytes: number, bytes?: number): TextFileError => {
  const found = bytes === undefined ? "" : ` with ${sizeText(bytes)}`
  return new TextFileError({
    reason: "tooLong",
    message: `is too long${found}: at most ${sizeText(limitBytes)} are read`
  })
}

export const damagedGzipError = (found: string): TextFileError =>
  new TextFileError({ reason: "failed", message: `is packed with gzip, but cannot be unpacked: ${found}` })

export const silentWriterError = (what: string): TextFileError => new TextFileError({ reason: "silent", message: what })

const sizeText = (bytes: number): string => {
  const mebibytes = bytes / (1024 * 1024)
  return mebibytes >= 1 ? `${Number(mebibytes.toFixed(1))} MiB` : `${bytes} bytes`
}
