import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { OpenText } from "./OpenText.ts"
import { notRegularError, silentWriterError, systemError, type TextFileError } from "./TextFileError.ts"

/** The time to wait for the first bytes of a pipe, and for the next bytes of any file that waits. */
const NO_WRITER_MS = 10_000
const IDLE_WRITER_MS = 60_000
const POLL_MS = 20

/**
 * Reads a regular file of at most `limitBytes` synchronously: for a program's own files, and for files that are read
 * again and again. Throws `TextFileError` for any other kind of file, and never waits. The text is decoded by `decodeText`.
 */
export const readRegularText = (file: string, limitBytes: number): string => {
  const open = new OpenText(file, limitBytes)
  try {
    const { status } = open
    if (!status.isFile()) throw notRegularError(status.isFIFO() ? "a pipe" : "a device or a socket")
    while (open.read() === "more");
    return open.text()
  } finally {
    open.close()
  }
}

/**
 * Reads a file that the user named: a regular file, a pipe (`<(kubectl get pods -o yaml)`), or a device, of at most
 * `limitBytes`. Fails when no process writes to a pipe for 10 s, or when its writer writes nothing for 60 s.
 */
export const readText = (file: string, limitBytes: number): Effect.Effect<string, TextFileError> =>
  Effect.acquireUseRelease(
    Effect.try({ try: () => new OpenText(file, limitBytes), catch: systemError }),
    readAll,
    (open) => Effect.sync(() => open.close())
  )

const readAll = Effect.fnUntraced(function* (open: OpenText) {
  const isPipe = open.status.isFIFO()
  let lastReadMs = yield* Clock.currentTimeMillis
  for (;;) {
    const step = yield* Effect.try({ try: () => open.read(), catch: systemError })
    const nowMs = yield* Clock.currentTimeMillis
    if (step === "more") {
      lastReadMs = nowMs
      // Yields to other fibers: a long file, or one that never ends, is read in many chunks.
      yield* Effect.yieldNow
      continue
    }
    // End of file before the first byte of a pipe: its writer has not opened it yet, or has written nothing.
    const isUnwrittenPipe = step === "end" && isPipe && open.isEmpty
    if (step === "end" && !isUnwrittenPipe) return yield* Effect.try({ try: () => open.text(), catch: systemError })
    const timeoutMs = isUnwrittenPipe ? NO_WRITER_MS : IDLE_WRITER_MS
    if (nowMs - lastReadMs >= timeoutMs) return yield* silentWriterError(silenceMessage(isUnwrittenPipe, timeoutMs))
    yield* Effect.sleep(POLL_MS)
  }
})

const silenceMessage = (isUnwrittenPipe: boolean, timeoutMs: number): string =>
  isUnwrittenPipe
    ? `is a pipe to which nothing was written for ${timeoutMs / 1000} s, expected a file or a pipe with text`
    : `wrote nothing for ${timeoutMs / 1000} s, expected text and an end of file`
