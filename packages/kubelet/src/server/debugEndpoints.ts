import { type HealthChecks, healthAnswer, ping } from "@rollcall/time"
import type { KubeletConfig } from "../KubeletConfig.ts"
import { type Answer, type KubeletContent, type KubeletResponse, text } from "./KubeletRequest.ts"
import { notFound } from "./mux.ts"

/** Upstream: pkg/kubelet/server InstallAuthNotRequiredHandlers. */
const checksOf =
  ({ problem }: KubeletContent): HealthChecks =>
  () => [ping, { name: "log", problem: () => undefined }, { name: "syncloop", problem }]

/** `/healthz`, and a single check of it. */
export const health: Answer = (content, query, path) => {
  const asked = { exclude: query.get("exclude") ?? [], verbose: query.has("verbose") }
  const { body, code } = healthAnswer(path, asked, checksOf(content), (...result) => content.slis().record(...result))
  return text(code, body)
}

/** Refuses a path that the configuration switches off. Upstream: getHandlerForDisabledEndpoint. */
export const disabled = (message: string): KubeletResponse => text(405, `${message}\n`)

/** What Go's http.FileServer answers for a folder without files: a modelled machine has no logs of its own. */
const EMPTY_FOLDER = '<!doctype html>\n<meta name="viewport" content="width=device-width">\n<pre>\n</pre>\n'

/** `/logs/`: the folder /var/log of the machine. */
export const systemLogs: Answer = ({ config }, _, path) => {
  if (!config.enableSystemLogHandler) return disabled("logs endpoint is disabled.")
  return path === "/logs"
    ? { code: 200, contentType: "text/html; charset=utf-8", body: EMPTY_FOLDER }
    : text(404, "404 page not found\n")
}

/** The paths that say why they do not work without `enableDebuggingHandlers`, and those that are not there. */
const refusedWithout = /^\/(?:run|exec|attach|portForward|containerLogs|runningpods|debug\/pprof|logs)\//
const absentWithout = /^\/(?:configz|checkpoint|debug|statusz|flagz)(?:\/|$)/

/**
 * Returns the refusal of a path that `enableDebuggingHandlers: false` switches off; undefined for any other. Upstream:
 * pkg/kubelet/server InstallDebuggingDisabledHandlers.
 */
export const debugRefusal = (
  { enableDebuggingHandlers }: Pick<KubeletConfig, "enableDebuggingHandlers">,
  path: string
): KubeletResponse | undefined => {
  if (enableDebuggingHandlers) return undefined
  if (refusedWithout.test(path)) return disabled("Debug endpoints are disabled.")
  return absentWithout.test(path) ? notFound : undefined
}
