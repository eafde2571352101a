import type { RequestInfo } from "./RequestInfo.ts"

/** The subresources whose requests last as long as their clients want. */
const longRunning: ReadonlySet<string> = new Set(["attach", "exec", "proxy", "log", "portforward"])

/** Whether a request lasts as long as its client wants. Upstream: BasicLongRunningRequestCheck. */
export const isLongRunning = ({ info }: { readonly info: RequestInfo }): boolean =>
  info.verb === "watch" || info.verb === "proxy" || longRunning.has(info.subresource)

/** Whether a request for this URL may be a watch. */
const mayBeWatch = (url: string): boolean => /[?&]watch(?:[=&]|$)|\/watch\//.test(url)

/** Whether a request for this URL may be for a stream of a pod, which talks over a WebSocket or SPDY. */
const mayBeStream = (url: string): boolean => /\/pods\/[^/]+\/(?:attach|exec|portforward)(?:[?/]|$)/.test(url)

/** Whether a request for this URL may be for another process, which decides about protocols. */
const mayBeProxied = (url: string): boolean => /\/(?:nodes|pods|services)\/[^/]+\/proxy(?:[?/]|$)/.test(url)

/** Whether a request for this URL may be for a log. */
const mayBeLog = (url: string): boolean => /\/pods\/[^/]+\/log(?:[?/]|$)/.test(url)

/** Whether a request for this URL may change the protocol of its connection. */
export const mayChangeProtocol = (url: string, isWebSocket: boolean): boolean =>
  mayBeStream(url) || mayBeProxied(url) || (isWebSocket && (mayBeWatch(url) || mayBeLog(url)))
