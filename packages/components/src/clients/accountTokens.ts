import { ConnectionError } from "@rollcall/cluster"
import type { FetchedToken, FetchToken, KubeConnection, RawAnswer } from "@rollcall/kube-client"
import type { TimersShape } from "@rollcall/time"
import * as Result from "effect/Result"

/** Upstream: controller-manager/pkg/clientbuilder/client_builder_dynamic.go, as all that follows. */
const EXPIRATION_SECONDS = 3600
const LEAST_LIFETIME_MS = 600_000
/** The share of its lifetime after which a token is fetched anew. */
const REFRESH_AFTER = 0.8
const FIRST_PAUSE_MS = 500
const ATTEMPTS = 4

const NAMESPACE = "kube-system"
const ACCOUNTS = `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`

type Outcome<A> = Result.Result<A, string>

export interface AccountTokenOptions {
  readonly connection: Pick<KubeConnection, "raw">
  readonly timers: Pick<TimersShape, "after" | "now">
  /** Called when an attempt fails. */
  readonly failed: (what: string, why: string) => void
}

const answerText = ({ body, code }: RawAnswer): string => `the API server answered ${code}: ${body.trim()}`

const parsedToken = (body: string, now: number): Outcome<FetchedToken> => {
  try {
    const { expirationTimestamp, token } = JSON.parse(body).status
    const lifetimeMs = Math.max(LEAST_LIFETIME_MS, Date.parse(expirationTimestamp) - now)
    if (typeof token !== "string" || Number.isNaN(lifetimeMs)) return Result.fail("the answer has no token")
    return Result.succeed({ token, refreshAtMs: now + lifetimeMs * REFRESH_AFTER })
  } catch {
    return Result.fail("the answer is no TokenRequest")
  }
}

/** Fetches tokens of a service account in kube-system, which is made if there is none. */
export const accountTokens = (name: string, { connection, failed, timers }: AccountTokenOptions): FetchToken => {
  const send = (method: string, path: string, body: object | undefined, take: (answer: Outcome<RawAnswer>) => void) => {
    const headers = { accept: "application/json", "content-type": "application/json" }
    const request = { method, path, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
    connection.raw(request, (result) =>
      take(Result.isSuccess(result) ? Result.succeed(result.success) : Result.fail(result.failure.message))
    )
  }
  const expecting =
    (codes: ReadonlyArray<number>, take: (answer: Outcome<RawAnswer>) => void) =>
    (answer: Outcome<RawAnswer>): void =>
      take(
        Result.isFailure(answer) || codes.includes(answer.success.code)
          ? answer
          : Result.fail(answerText(answer.success))
      )
  const makeAccount = (take: (answer: Outcome<RawAnswer>) => void) => {
    const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { namespace: NAMESPACE, name } }
    send("POST", ACCOUNTS, account, expecting([201, 409], take))
  }
  const findAccount = (take: (answer: Outcome<RawAnswer>) => void) =>
    send("GET", `${ACCOUNTS}/${name}`, undefined, (answer) =>
      Result.isSuccess(answer) && answer.success.code === 404 ? makeAccount(take) : expecting([200], take)(answer)
    )
  const askToken = (take: (token: Outcome<FetchedToken>) => void) => {
    const spec = { expirationSeconds: EXPIRATION_SECONDS }
    const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec }
    const parse = (answer: Outcome<RawAnswer>) =>
      take(Result.isFailure(answer) ? Result.fail(answer.failure) : parsedToken(answer.success.body, timers.now()))
    send("POST", `${ACCOUNTS}/${name}/token`, body, expecting([201], parse))
  }
  return (take) => {
    const attempt = (number: number) => {
      const again = (what: string, why: string) => {
        failed(what, why)
        if (number < ATTEMPTS) return void timers.after(FIRST_PAUSE_MS * 2 ** (number - 1), () => attempt(number + 1))
        take(Result.fail(new ConnectionError({ message: `failed to get token for ${NAMESPACE}/${name}: ${why}` })))
      }
      findAccount((account) => {
        if (Result.isFailure(account)) return again("get or create service account failed", account.failure)
        askToken((token) => {
          if (Result.isFailure(token)) again("get token failed", token.failure)
          else take(Result.succeed(token.success))
        })
      })
    }
    attempt(1)
  }
}
