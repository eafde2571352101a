import { expired, internalError } from "@rollcall/api"
import { ApiError } from "@rollcall/cluster"

/** Returns the error of a watch whose history has been discarded: the client must list again. */
export const watchExpiredError = (requested: number, oldest: number): ApiError =>
  new ApiError({ status: expired(`too old resource version: ${requested} (${oldest})`) })

/** Returns the error of a watch whose sink or selection threw. */
export const watchBrokenError = (): ApiError => new ApiError({ status: internalError("the watch cannot go on") })
