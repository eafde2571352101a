import { type ClusterError, ConnectionError } from "@rollcall/cluster"
import { errorOf } from "./answer.ts"
import { LineSplitter } from "./LineSplitter.ts"
import type { RawRequest } from "./RawRequest.ts"
import type { Transport } from "./Transport.ts"

/** The receiver of a response's lines. Nothing is called after `end`, or after the stream was cancelled. */
export interface LineSink {
  readonly lines: (batch: ReadonlyArray<string>) => void
  /** Called when the stream has ended; without an error if the server completed it. */
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
  let isOver = false
  const cancel = transport.stream(request, {
    head: (code) => code === 200,
    refused: (answer) => {
      isOver = true
      sink.end(errorOf(answer))
    },
    data: (chunk) => {
      if (isOver) return
      let batch: ReadonlyArray<string>
      try {
        batch = splitter.push(chunk)
      } catch (cause) {
        isOver = true
        cancel()
        const message = cause instanceof Error ? cause.message : String(cause)
        return sink.end(new ConnectionError({ message: `${request.method} ${request.path}: ${message}` }))
      }
      if (batch.length > 0) sink.lines(batch)
    },
    end: (error) => {
      if (!isOver) sink.end(error)
      isOver = true
    }
  })
  return () => {
    isOver = true
    cancel()
  }
}
