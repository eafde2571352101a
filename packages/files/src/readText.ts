import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { OpenText } from "./OpenText.ts"
import { notRegular, silent, systemProblem, type TextFileError } from "./TextFileError.ts"

/** How long nobody writes to a pipe before it is given up, and how long who writes to it says nothing. */
const NO_WRITER_MS = 10_000
const NO_WORD_MS = 60_000
const LOOK_MS = 20

/**
 * The text of a regular file of at most `limitBytes`, at once: for files that a program keeps for itself, or reads again and again.
 * Throws `TextFileError` for any other, and never waits. What is written is UTF-8.
 */
export const readRegularText = (file: string, limitBytes: number): string => {
  const open = new OpenText(file, limitBytes)
  try {
    const { status } = open
    if (!status.isFile()) throw notRegular(status.isFIFO() ? "a pipe" : "a device or a socket")
    while (open.read() === "more");
    return open.text()
  } finally {
    open.close()
  }
}

/**
 * The text of what a person named: a regular file, a pipe (`<(kubectl get pods -o yaml)`), or a device, of at most `limitBytes`.
 * A pipe is given up when no process writes to it for 10 s, or the one that does says nothing for 60 s.
 */
export const readText = (file: string, limitBytes: number): Effect.Effect<string, TextFileError> =>
  Effect.acquireUseRelease(
    Effect.try({ try: () => new OpenText(file, limitBytes), catch: systemProblem }),
    readAll,
    (open) => Effect.sync(() => open.close())
  )

const readAll = Effect.fnUntraced(function* (open: OpenText) {
  const isPipe = open.status.isFIFO()
  let heardMs = yield* Clock.currentTimeMillis
  for (;;) {
    const step = yield* Effect.try({ try: () => open.read(), catch: systemProblem })
    const nowMs = yield* Clock.currentTimeMillis
    if (step === "more") {
      heardMs = nowMs
      // Others have their turn: a long file, or one that never ends, is read in many pieces.
      yield* Effect.yieldNow
      continue
    }
    // The end of a pipe before its first byte: its writer has not come yet, or has had nothing to say.
    const mayBegin = step === "end" && isPipe && open.isEmpty
    if (step === "end" && !mayBegin) return open.text()
    const patienceMs = mayBegin ? NO_WRITER_MS : NO_WORD_MS
    if (nowMs - heardMs >= patienceMs) return yield* silent(silence(mayBegin, patienceMs))
    yield* Effect.sleep(LOOK_MS)
  }
})

const silence = (isUnwritten: boolean, patienceMs: number): string =>
  isUnwritten
    ? `is a pipe to which nothing was written for ${patienceMs / 1000} s, expected a file or a pipe with a text`
    : `gave nothing for ${patienceMs / 1000} s, expected a text and its end`
