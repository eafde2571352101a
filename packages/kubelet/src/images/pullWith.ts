import type { Pod } from "@rollcall/api"
import * as Result from "effect/Result"
import type { TrackedCredentials } from "../credentials/Keyring.ts"
import type { ImageService, PodObserver } from "../runtime/PodRuntime.ts"
import { openToAll, type PullCredentials } from "./PullCredentials.ts"

/** An image that was pulled. */
export interface Pulled {
  readonly sizeBytes: number
  /** Whom the pull has shown to have access. */
  readonly access: PullCredentials
}

const accessOf = ({ account, secret }: TrackedCredentials): PullCredentials => {
  if (secret !== undefined) return { isOpen: false, secrets: [secret], accounts: [] }
  return account === undefined ? openToAll : { isOpen: false, secrets: [], accounts: [account] }
}

/** Joins the errors of several attempts. Upstream: apimachinery, pkg/util/errors, NewAggregate. */
const aggregate = (errors: ReadonlyArray<string>): string => {
  const [first = "", ...others] = new Set(errors)
  return others.length === 0 ? first : `[${[first, ...others].join(", ")}]`
}

/**
 * Pulls an image with the first credentials that the registry takes, or without any if there are none. Upstream:
 * pkg/kubelet/kuberuntime/kuberuntime_image.go, PullImage.
 */
export const pullWith = (
  images: ImageService,
  { container, observer, pod }: { readonly pod: Pod; readonly container: string; readonly observer: PodObserver },
  credentials: ReadonlyArray<TrackedCredentials>,
  done: (pulled: Result.Result<Pulled, string>) => void
): void => {
  const errors: Array<string> = []
  const attempt = (index: number): void => {
    const current = credentials[index]
    images.pullImage(
      pod,
      container,
      observer,
      (pulled) => {
        if (Result.isSuccess(pulled)) {
          const access = current === undefined ? openToAll : accessOf(current)
          done(Result.succeed({ sizeBytes: pulled.success, access }))
          return
        }
        errors.push(pulled.failure)
        if (index + 1 < credentials.length) attempt(index + 1)
        else done(Result.fail(aggregate(errors)))
      },
      current
    )
  }
  attempt(0)
}
