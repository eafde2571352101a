import type { Status } from "@rollcall/api"
import { guarded } from "@rollcall/time"
import type { Steps } from "../turns/Steps.ts"
import { panicked } from "./resumed.ts"
import type { ServerCore } from "./ServerCore.ts"

/**
 * Does work of a user's request, with pauses where it takes long. What throws before the first one is thrown here, as by any function;
 * what throws later ends the request, refused.
 */
export const inSteps = (
  { timers, turns }: Pick<ServerCore, "timers" | "turns">,
  user: string,
  steps: Steps<void>,
  refuse: (status: Status) => void
): void =>
  turns.run(user, steps, (error) => {
    timers.handleError("request", error)
    guarded(timers, "request", () => refuse(panicked))
  })
