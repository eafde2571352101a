import type { ConnectionError } from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import * as Result from "effect/Result"
import type { FetchToken } from "../ClientConfig.ts"
import { bearer, type Credential, type Credentials } from "./Credentials.ts"

type Take = (credential: Result.Result<Credential, ConnectionError>) => void

interface Current {
  readonly credential: Credential
  readonly refreshAtMs: number
}

/**
 * Tokens that are fetched when they are needed and refreshed before they end. The last one stays in use while no other
 * can be fetched. Upstream: client-go/transport/token_source.go.
 */
export const fetchedTokens = (fetch: FetchToken, { now }: Pick<TimersShape, "now">): Credentials => {
  let current: Current | undefined
  const waiting: Array<Take> = []
  const answer = (result: Result.Result<Credential, ConnectionError>) => {
    for (const take of waiting.splice(0)) take(result)
  }
  return {
    use: (take) => {
      if (current !== undefined && now() < current.refreshAtMs) return take(Result.succeed(current.credential))
      waiting.push(take)
      if (waiting.length > 1) return
      fetch((fetched) => {
        if (Result.isSuccess(fetched)) {
          const { refreshAtMs, token } = fetched.success
          current = { credential: bearer(token), refreshAtMs }
        }
        answer(
          Result.isFailure(fetched) && current === undefined
            ? Result.fail(fetched.failure)
            : Result.succeed((current as Current).credential)
        )
      })
    },
    rejected: (credential) => {
      if (current?.credential === credential) current = undefined
    }
  }
}
