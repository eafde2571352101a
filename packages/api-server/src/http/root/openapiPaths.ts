import { notAcceptable } from "@rollcall/api"
import type { HandleError } from "@rollcall/time"
import { isSteps, type Steps } from "../../core/turns/Steps.ts"
import type { Call } from "../call/Call.ts"
import { send, sendPageNotFound, sendStatus } from "../call/respond.ts"
import {
  type OpenApi,
  type OpenApiKind,
  openApi,
  openApiKindOf,
  openApiKindOfVirtual,
  openApiV2Protobuf
} from "../openapi/index.ts"
import type { Routes } from "../request/Routes.ts"
import { type CatchErrors, catchErrors } from "./discovery.ts"

const V3 = "/openapi/v3"

const kindsOf = (routes: Routes, catching: CatchErrors): ReadonlyArray<OpenApiKind> => {
  const kinds: Array<OpenApiKind> = []
  for (const [group, versions] of routes.groups()) {
    for (const version of versions) {
      for (const { resource, state, virtual } of routes.groupVersion(group, version)?.values() ?? []) {
        const kind = catching(resource, () =>
          state !== undefined ? openApiKindOf(state.definition) : virtual && openApiKindOfVirtual(resource)
        )
        if (kind !== undefined) kinds.push(kind)
      }
    }
  }
  return kinds
}

/** Serves `/openapi/v2` and `/openapi/v3`. Documents are made on first use. */
export const makeOpenApiPaths = (routes: Routes, gitVersion: string, handleError: HandleError) => {
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
  const make = (): OpenApi =>
    openApi(kindsOf(routes, catchErrors("openapi", handleError)), gitVersion, (schema, error) =>
      handleError("openapi", error, { schema })
    )
  const documents = (): OpenApi => {
    if (made?.generation !== routes.generation) {
      made = { generation: routes.generation, documents: make() }
      encoded.clear()
    }
    return made.documents
  }

  const answer = (call: Call, json: string, hash: string) => {
    const etag = `"${hash}"`
    call.response.setHeader("ETag", etag)
    call.response.setHeader("Vary", "Accept")
    const known = call.header("if-none-match") === etag
    send(call, known ? 304 : 200, "application/json", known ? "" : bytesOf(json, hash))
  }

  const serveDocument = function* (call: Call, path: string): Steps<void> {
    const making = documents().document(path)
    const document = isSteps(making) ? yield* making : making
    if (document === undefined) return sendPageNotFound(call)
    const requestedHash = call.query.text("hash")
    if (requestedHash !== undefined && requestedHash !== "" && requestedHash !== document.hash) {
      call.response.setHeader("Location", `${V3}/${path}?hash=${document.hash}`)
      return send(call, 301, "text/plain; charset=utf-8", "")
    }
    if (requestedHash) {
      // The URL contains the hash of the content, so the response never changes.
      call.response.setHeader("Cache-Control", "public, immutable")
      call.response.setHeader("Expires", EXPIRES)
    }
    answer(call, document.json, document.hash)
  }

  const serveInSteps = function* (call: Call, path: string): Steps<void> {
    if (path === V3) {
      const index = documents().index()
      const { hash, json } = isSteps(index) ? yield* index : index
      return answer(call, json, hash)
    }
    if (path.startsWith(`${V3}/`)) return yield* serveDocument(call, path.slice(V3.length + 1))
    const accept = call.header("accept") ?? "*/*"
    if (accept.includes(openApiV2Protobuf.requested)) {
      const making = documents().v2Protobuf()
      const { bytes } = isSteps(making) ? yield* making : making
      return send(call, 200, openApiV2Protobuf.answered, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
    }
    if (!/\*\/\*|application\/json|application\/\*/.test(accept))
      return sendStatus(call, notAcceptable(["application/json"]))
    const making = documents().v2()
    const { hash, json } = isSteps(making) ? yield* making : making
    answer(call, json, hash)
  }

  return {
    serve: (call: Call, path: string) => call.runInSteps(serveInSteps(call, path)),
    serves: (path: string): boolean => path === V3 || path === "/openapi/v2" || path.startsWith(`${V3}/`)
  }
}

/** A date in the far future, for documents that never change. */
const EXPIRES = "Fri, 01 Jan 2100 00:00:00 GMT"
