import type { Answer, ApiRequest, Connection } from "./Connection.ts"

/** Adds cancellation to a `send` that has none: the reply of a cancelled request is dropped. */
export const cancellable =
  (send: (request: ApiRequest, reply: (answer: Answer) => void) => void): Connection["send"] =>
  (request, reply) => {
    let isWanted = true
    send(request, (answer) => {
      if (isWanted) reply(answer)
    })
    return () => {
      isWanted = false
    }
  }
