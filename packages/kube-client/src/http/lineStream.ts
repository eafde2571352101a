import { type ClusterError, ConnectionError } from "@rollcall/cluster"
import { errorOf } from "./answer.ts"
import { LineSplitter } from "./LineSplitter.ts"
import type { RawRequest } from "./RawRequest.ts"
import type { Transport } from "./Transport.ts"

/** The receiver of a response's lines. Nothing is called after `end`, or after the stream was cancelled. */
export interface LineSink {
  readonly lines: (batch: ReadonlyArray<string>) => void
  /** Undefined: the server completed the stream. */
  readonly end: (error: ClusterError | undefined) => void
}

/** Streams a response line by line, for responses that may not end by themselves: a watch of Tables, a log. */
export const lineStream = (
  transport: Pick<Transport, "stream">,
  request: RawRequest,
  sink: LineSink,
  maxLineBytes: number
): (() => void) => {
  const splitter = new LineSplitter(maxLineBytes)
  let over = false
  const cancel = transport.stream(request, {
    head: (code) => code === 200,
    refused: (answer) => {
      over = true
      sink.end(errorOf(answer))
    },
    data: (chunk) => {
      if (over) return
      let batch: ReadonlyArray<string>
      try {
        batch = splitter.push(chunk)
      } catch (cause) {
        over = true
        cancel()
        const message = cause instanceof Error ? cause.message : String(cause)
        return sink.end(new ConnectionError({ message: `${request.method} ${request.path}: ${message}` }))
      }
      if (batch.length > 0) sink.lines(batch)
    },
    end: (error) => {
      if (!over) sink.end(error)
      over = true
    }
  })
  return () => {
    over = true
    cancel()
  }
}
