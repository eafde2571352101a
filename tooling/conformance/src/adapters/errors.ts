import { type Handler, makeHandler, versionInfo } from "@rollcall/api-server/http"
import type { Adapters, Json } from "../Adapter.ts"
import { withHttp } from "../inProcess.ts"
import { overHttp, type ReceivedResponse, type SentRequest } from "../overHttp.ts"

const credentials: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "cluster admin": { authorization: "Bearer admin" },
  "user alice without rights": { authorization: "Bearer alice" },
  "unknown bearer token": { authorization: "Bearer nobody" },
  anonymous: {}
}

const requestOf = ({
  accept = "application/json",
  as,
  body,
  contentType,
  method,
  path,
  rawBody
}: Json): SentRequest => ({
  method,
  path,
  headers: {
    ...credentials[as],
    accept,
    "user-agent": "conformance/1.0",
    ...(body === undefined && rawBody === undefined ? {} : { "content-type": contentType ?? "application/json" })
  },
  body: rawBody ?? (body === undefined ? undefined : JSON.stringify(body))
})

const UID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/

const statusOf = (answer: ReceivedResponse): Json => {
  const { details, message, reason, status } = JSON.parse(answer.body)
  const responseResult = details?.uid === undefined || !UID.test(details.uid) ? details : { ...details, uid: "UID" }
  return { status, message, ...(reason && { reason }), ...(responseResult && { details: responseResult }) }
}

/** Returns the first Warning header, because the recordings have only that. */
const warningsOf = ({ headers }: ReceivedResponse): Json => {
  const warnings = headers.get("warning")
  return Array.isArray(warnings) ? { warnings: warnings.slice(0, 1) } : {}
}

const responseResult = (answer: ReceivedResponse): Json => {
  const { body, code, headers } = answer
  if (String(headers.get("content-type")).startsWith("text/plain")) return { code, text: body }
  const isStatus = JSON.parse(body).kind === "Status"
  return { code, ...(isStatus ? statusOf(answer) : {}), ...warningsOf(answer) }
}

const sendRequest = ({ handle }: Handler, given: Json): ReceivedResponse => overHttp(handle, requestOf(given))

export const errorAdapters: Adapters = {
  "api/errors": ({ given }) =>
    withHttp((options) => {
      const handler = makeHandler({ ...options, version: versionInfo("v1.36.2"), address: () => "localhost" })
      sendRequest(handler, {
        as: "cluster admin",
        method: "POST",
        path: "/api/v1/nodes",
        body: { metadata: { name: "node1" } }
      })
      return responseResult(sendRequest(handler, given))
    })
}
