import { badRequest, durationFault, parseDuration, type Status } from "@rollcall/api"
import type { Call } from "../call/Call.ts"
import type { HttpResponse } from "../wire/HttpPort.ts"

/**
 * Answers a request of which not even the resource is known. Upstream: apiserver/pkg/endpoints/filters/requestinfo.go;
 * handlers/responsewriters, InternalError.
 */
export const refuseAddress = (response: HttpResponse, url: string): void => {
  const shown = url.replaceAll("&", "&amp;").replaceAll('"', "&#34;").replaceAll("'", "&#39;").replaceAll("<", "&lt;")
  response.statusCode = 500
  response.setHeader("Content-Type", "text/plain; charset=utf-8")
  response.setHeader("X-Content-Type-Options", "nosniff")
  response.end(
    `Internal Server Error: ${JSON.stringify(shown)}: failed to create RequestInfo: unable to determine kind and namespace from url, ${url}\n`
  )
}

/** The subresources whose requests last as long as their clients want. */
const longRunning: ReadonlySet<string> = new Set(["attach", "exec", "proxy", "log", "portforward"])

/** Returns the 400 for an invalid `timeout`. Upstream: apiserver/pkg/endpoints/filters/request_deadline.go. */
export const timeoutFault = ({ info, query }: Call): Status | undefined => {
  const text = query.text("timeout") ?? ""
  if (text === "" || !Number.isNaN(parseDuration(text))) return undefined
  if (info.verb === "watch" || info.verb === "proxy" || longRunning.has(info.subresource)) return undefined
  return badRequest(`invalid timeout specified in the request URL - ${durationFault(text)}`)
}
