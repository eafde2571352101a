import { expired, internalError } from "@rollcall/api"
import { ApiError } from "@rollcall/cluster"

/** How a watch ends whose history is gone: the client must list anew. */
export const expiredWatch = (requested: number, oldest: number): ApiError =>
  new ApiError({ status: expired(`too old resource version: ${requested} (${oldest})`) })

/** How a watch ends in which something threw. */
export const brokenWatch = (): ApiError => new ApiError({ status: internalError("the watch cannot go on") })
