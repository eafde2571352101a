import { expired } from "@rollcall/api"
import { ApiError } from "@rollcall/cluster"

/** How a watch ends whose history is gone: the client must list anew. */
export const expiredWatch = (requested: number, oldest: number): ApiError =>
  new ApiError({ status: expired(`too old resource version: ${requested} (${oldest})`) })
