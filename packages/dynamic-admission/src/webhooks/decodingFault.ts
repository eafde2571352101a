import type { Fields } from "@rollcall/api/values"

/** The scheme in which upstream looks for the kind of an answer, as its messages name it. */
const SCHEME = "k8s.io/apiserver/pkg/util/webhook/client.go:71"

/** What a webhook is to answer: AdmissionReview or ConversionReview, of a group with the versions v1 and v1beta1. */
export interface ExpectedReview {
  readonly group: string
  readonly version: string
  readonly kind: string
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

/**
 * Returns why the answer of a webhook cannot be decoded as the expected review; one without a version and kind can.
 * Upstream: the scheme of util/webhook/client.go, NewClientManager.
 */
export const decodingFault = (answer: Fields, { group, kind, version }: ExpectedReview): string | undefined => {
  const [apiVersion, given] = [textOf(answer.apiVersion), textOf(answer.kind)]
  if (apiVersion === "" && given === "") return undefined
  const other = version === "v1" ? "v1beta1" : "v1"
  if (given === kind && apiVersion === `${group}/${version}`) return undefined
  if (given === kind && apiVersion === `${group}/${other}`) {
    return `converting (${other}.${kind}) to (${version}.${kind}): unknown conversion`
  }
  const what = `no kind ${JSON.stringify(given)} is registered for version ${JSON.stringify(apiVersion)}`
  return `${what} in scheme ${JSON.stringify(SCHEME)}`
}
