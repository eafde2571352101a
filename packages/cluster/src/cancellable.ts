import type { Answer, ApiRequest, Connection } from "./Connection.ts"

/** Makes the `send` of a connection from one that cannot be cancelled on its way: of a cancelled request the reply is dropped. */
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
