import type { VersionInfo } from "@rollcall/api"
import type { OpenApi, OpenApiDocument, OpenApiVersion } from "@rollcall/openapi"
import type { ErrorHandling } from "@rollcall/time"
import { isSteps, type Steps } from "@rollcall/time"
import type { TokenIssuer } from "../../core/ports/Security.ts"
import type { Call } from "../call/Call.ts"
import { send, sendEmpty, sendUnchanged } from "../call/respond.ts"
import { firstNamed, JSON_TYPE, namesNothing } from "../request/mediaTypes.ts"
import type { Routes } from "../request/Routes.ts"
import { catchErrors } from "./discovery.ts"
import { loadOpenApi, openApiKindsOf } from "./openApiKinds.ts"
import { makeWholeV2, withRemote } from "./remoteDocuments.ts"

const V3 = "/openapi/v3"

interface OpenApiPathOptions {
  readonly routes: Routes
  readonly version: VersionInfo
  readonly timers: ErrorHandling
  readonly issuer?: TokenIssuer
}

/** Counts a request by this name; returns it. */
const monitor = (call: Call, subresource: string): Call => {
  call.monitored = { subresource }
  return call
}

/** Serves `/openapi/v2` and `/openapi/v3`. Documents are made on first use. */
export const makeOpenApiPaths = ({ issuer, routes, timers, version }: OpenApiPathOptions) => {
  const { handleError } = timers
  let made: { readonly generation: number; readonly documents: OpenApi } | undefined
  /** Encoded documents by their hash: megabytes that all requests share. */
  const encoded = new Map<string, Buffer>()
  const bytesOf = (json: string, hash: string): Buffer => {
    const known = encoded.get(hash)
    if (known !== undefined) return known
    const bytes = Buffer.from(json)
    encoded.set(hash, bytes)
    return bytes
  }
  const wholeV2 = makeWholeV2(routes, (hash) => encoded.delete(hash))
  const documentsInSteps = function* (): Steps<OpenApi> {
    const { openApi } = yield* loadOpenApi()
    if (made?.generation !== routes.generation) {
      const documents = openApi(
        openApiKindsOf(routes, catchErrors("openapi", handleError)),
        `${version.major}.${version.minor}`,
        { onInvalid: (schema, error) => handleError("openapi", error, { schema }), hasIssuer: issuer !== undefined }
      )
      made = { generation: routes.generation, documents }
      encoded.clear()
    }
    return made.documents
  }

  const serveGroupVersion = function* (call: Call, path: string): Steps<void> {
    const making = (yield* documentsInSteps()).document(path)
    const document = isSteps(making) ? yield* making : making
    if (document === undefined) return sendEmpty(call, 404)
    const { hash } = document
    if (namesNothing(call.header("accept"))) return sendEmpty(call, 200)
    call.response.setHeader("Vary", "Accept")
    const form = yield* formInSteps(call, "v3")
    if (form === undefined) return sendEmpty(call, 406)
    const requestedHash = call.query.text("hash") ?? ""
    if (requestedHash !== "" && requestedHash !== hash) {
      call.response.setHeader("ETag", `"${hash}"`)
      call.response.setHeader("Location", `${V3}/${path}?hash=${hash}`)
      return send(call, 301, JSON_TYPE, "")
    }
    if (requestedHash !== "") {
      // The URL contains the hash of the content, so the response never changes.
      call.response.setHeader("Cache-Control", "public, immutable")
      call.response.setHeader("Expires", EXPIRES)
    }
    yield* sendIn(form, call, document)
  }

  const serveIndex = function* (call: Call): Steps<void> {
    const making = (yield* documentsInSteps()).index()
    const { hash, json } = withRemote(isSteps(making) ? yield* making : making, routes)
    // Upstream names no type, and Go takes the text for what it looks like.
    sendDocument(call, "text/plain; charset=utf-8", bytesOf(json, hash), hash)
  }

  const serveV2 = function* (call: Call): Steps<void> {
    const form = yield* formInSteps(call, "v2")
    call.response.setHeader("Vary", ["Accept-Encoding", "Accept"])
    if (form === undefined) return sendEmpty(call, 406)
    const making = (yield* documentsInSteps()).v2()
    yield* sendIn(form, call, yield* wholeV2(isSteps(making) ? yield* making : making))
  }

  /** Sends a document in a form; both have one hash. */
  const sendIn = function* (form: string, call: Call, { hash, json, protobuf }: OpenApiDocument): Steps<void> {
    if (form === JSON_TYPE) return sendDocument(call, form, bytesOf(json, hash), hash)
    const making = protobuf()
    const bytes = isSteps(making) ? yield* making : making
    sendDocument(call, form, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), hash)
  }

  return {
    v2: (call: Call) => call.runInSteps(serveV2(call)),
    v3: (call: Call) => monitor(call, "openapi/v3").runInSteps(serveIndex(call)),
    groupVersion: (call: Call) =>
      monitor(call, "openapi/v3/").runInSteps(serveGroupVersion(call, call.info.path.slice(V3.length + 1)))
  }
}

/** Returns the media type of the answer that a client accepts first; undefined if it accepts none. */
const formInSteps = function* (call: Call, version: OpenApiVersion): Steps<string | undefined> {
  const { openApiProtobuf } = yield* loadOpenApi()
  const { answered, requested } = openApiProtobuf[version]
  const named = firstNamed(call.header("accept"), [JSON_TYPE, requested, answered])
  return named === requested ? answered : named
}

/** Sends a document as Go's http.ServeContent does; `type` is the Content-Type. */
const sendDocument = (call: Call, type: string, bytes: Buffer, hash: string) => {
  const { response } = call
  const etag = `"${hash}"`
  response.setHeader("ETag", etag)
  if (matchesEtag(call.header("if-none-match"), etag)) return sendUnchanged(call)
  response.setHeader("Accept-Ranges", "bytes")
  send(call, 200, type, bytes)
}

/** Whether an If-None-Match header names an entity tag. */
const matchesEtag = (header: string | undefined, etag: string): boolean =>
  header?.split(",").some((each) => each.trim() === "*" || each.trim().replace(/^W\//, "") === etag) === true

/** A date in the far future, for documents that never change. */
const EXPIRES = "Fri, 01 Jan 2100 00:00:00 GMT"
