import { type ClusterShape, fromConnection } from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"

/**
 * A cluster whose requests take a moment, in which others get their turn, although an API server in the same process answers
 * at once. So workers that share a client advance side by side, and share its rate limit, as they do over a network; and what
 * a write sets off elsewhere runs beside what its writer does next.
 */
export const takingTurns = ({ connection }: ClusterShape, { soon }: TimersShape): ClusterShape =>
  fromConnection({
    send: (request, reply) => {
      let isCancelled = false
      let cancel: (() => void) | undefined
      soon(() => {
        if (isCancelled) return
        cancel = connection.send(request, (answer) =>
          soon(() => {
            if (!isCancelled) reply(answer)
          })
        )
      })
      return () => {
        isCancelled = true
        cancel?.()
      }
    },
    watch: connection.watch
  })
