import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type TextFileError, tooLongError } from "./TextFileError.ts"

/** Reads the text of a stream, such as standard input, of at most `limitBytes` of UTF-8. */
export const boundedText = <E, R>(
  stream: Stream.Stream<Uint8Array, E, R>,
  limitBytes: number
): Effect.Effect<string, E | TextFileError, R> =>
  Effect.suspend(() => {
    let bytes = 0
    const counted = Stream.tap(stream, (chunk) => {
      bytes += chunk.length
      return bytes > limitBytes ? Effect.fail(tooLongError(limitBytes)) : Effect.void
    })
    return counted.pipe(Stream.decodeText, Stream.mkString)
  })
