import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { decodeText } from "./decodeText.ts"
import { systemError, type TextFileError, tooLongError } from "./TextFileError.ts"

/** Reads the text of a stream, such as standard input, of at most `limitBytes`, decoded by `decodeText`. */
export const boundedText = <E, R>(
  stream: Stream.Stream<Uint8Array, E, R>,
  limitBytes: number
): Effect.Effect<string, E | TextFileError, R> =>
  Effect.gen(function* () {
    const chunks: Array<Uint8Array> = []
    let bytes = 0
    yield* Stream.runForEach(stream, (chunk) => {
      bytes += chunk.length
      if (bytes > limitBytes) return Effect.fail(tooLongError(limitBytes))
      chunks.push(chunk)
      return Effect.void
    })
    return yield* Effect.try({ try: () => decodeText(Buffer.concat(chunks, bytes), limitBytes), catch: systemError })
  })
