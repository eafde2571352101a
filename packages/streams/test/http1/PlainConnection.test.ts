import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { assert, describe, it } from "vitest"
import { allocateChunk, PlainConnection, type PlainRequest, type PlainResponse } from "../../src/http1/index.ts"

type Handle = (request: PlainRequest, response: PlainResponse) => void

const until = async (isSo: () => boolean) => {
  while (!isSo()) await sleep(2)
}

/** What a client of a plain connection sees, and the bytes that were handed over. */
const talk = async (
  handle: Handle,
  act: (client: Socket, received: () => string, connections: ReadonlyArray<PlainConnection>) => Promise<void>
) => {
  const handedOver: Array<string> = []
  const connections: Array<PlainConnection> = []
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const parts = { handle, refuses: () => false, statusTexts: { 200: "OK", 304: "Not Modified" } }
    const handOver = (_: Socket, bytes: Buffer) => {
      handedOver.push(bytes.toString())
      socket.end("other")
    }
    connections.push(
      new PlainConnection(socket, { ...parts, handOver, commonLines: () => "Date: d\r\n", keepAliveSeconds: 9 })
    )
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1")
  let text = ""
  client.on("data", (bytes) => {
    text += bytes
  })
  client.on("error", () => {})
  await until(() => connections.length === 1)
  await act(client, () => text, connections)
  client.destroy()
  await new Promise((resolve) => server.close(resolve))
  return { handedOver }
}

const get = (path: string, fields = "") => `GET ${path} HTTP/1.1\r\nHost: a\r\n${fields}\r\n`
const put = (body: string) => `PUT /p HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`

describe("a plain connection", () => {
  it("answers requests one after the other, as Node's server writes", async () => {
    const seen: Array<string> = []
    const handle: Handle = (request, response) => {
      let body = ""
      request.on("data", (chunk) => {
        body += chunk
      })
      request.on("end", () => {
        seen.push(`${request.method} ${request.url} ${body}`)
        response.setHeader("X-A", "1").setHeader("x-a", ["2", "3"])
        response.end(`<${body}>`)
      })
    }
    const { handedOver } = await talk(handle, async (client, received) => {
      client.write(put("ab"))
      await until(() => received().endsWith("<ab>"))
      const head =
        "HTTP/1.1 200 OK\r\nx-a: 2\r\nx-a: 3\r\nDate: d\r\nConnection: keep-alive\r\nKeep-Alive: timeout=9\r\n"
      assert.strictEqual(received(), `${head}Content-Length: 4\r\n\r\n<ab>`)
      client.write(get("/g"))
      await until(() => received().endsWith("<>"))
    })
    assert.deepEqual(seen, ["PUT /p ab", "GET /g "])
    assert.deepEqual(handedOver, [])
  })

  it("sends a text as UTF-8 where its length is given, too", async () => {
    const handle: Handle = (request, response) => {
      const text = request.url === "/a" ? "ä" : "b"
      response.setHeader("Content-Length", Buffer.byteLength(text))
      response.end(text)
    }
    await talk(handle, async (client, received) => {
      client.write(get("/a"))
      await until(() =>
        received().endsWith("Content-Length: 2\r\nDate: d\r\nConnection: keep-alive\r\nKeep-Alive: timeout=9\r\n\r\nä")
      )
      client.write(get("/b"))
      await until(() => received().endsWith("\r\n\r\nb"))
    })
  })

  it("waits with a request that comes before the answer to the one before", async () => {
    const responses: Array<PlainResponse> = []
    const { handedOver } = await talk(
      (_, response) => void responses.push(response),
      async (client, received) => {
        client.write(get("/1"))
        await until(() => responses.length === 1)
        client.write(get("/2"))
        await sleep(20)
        assert.strictEqual(responses.length, 1)
        responses[0]?.end("one")
        await until(() => responses.length === 2)
        responses[1]?.end("two")
        await until(() => received().endsWith("two"))
      }
    )
    assert.deepEqual(handedOver, [])
  })

  it.each([
    ["two requests at once", get("/1") + get("/2")],
    ["a part of a body", put("abc").slice(0, -1)],
    ["a part of a head", "GET / HT"],
    ["the end of the connection", get("/", "Connection: close\r\n")]
  ])("hands the connection over with %s", async (_, text) => {
    let handled = 0
    const { handedOver } = await talk(
      () => void handled++,
      async (client, received) => {
        client.write(text)
        await until(() => received() === "other")
      }
    )
    assert.deepEqual(handedOver, [text])
    assert.strictEqual(handled, 0)
  })

  it("sends an answer in pieces, and says when its client is gone", async () => {
    let closed = 0
    await talk(
      (_, response) => {
        response.on("close", () => closed++)
        response.write("ab")
        response.write(Buffer.from("c".repeat(20_000)))
        const bytes = Buffer.from("ä")
        response.write(bytes)
        response.write(Buffer.from("bc"))
        response.write(bytes)
      },
      async (client, received) => {
        client.write(get("/"))
        await until(() => received().endsWith("\r\n2\r\nbc\r\n2\r\nä\r\n"))
        assert.include(
          received(),
          `Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n4e20\r\n${"c".repeat(20_000)}\r\n2\r\nä\r\n2\r\nbc\r\n`
        )
        assert.strictEqual(closed, 0)
        client.end()
        await until(() => closed === 1)
      }
    )
  })

  it("sends a chunk that was allocated as one from where it is, in any place of the answer", async () => {
    const content = allocateChunk(20_000).fill("c")
    const written: Array<Uint8Array | string> = []
    await talk(
      (request, response) => {
        const { write } = request.socket
        request.socket.write = ((...call: Parameters<typeof write>) => {
          written.push(call[0])
          return write.apply(request.socket, call)
        }) as typeof write
        response.write(content)
        response.write(content)
        response.end(content)
      },
      async (client, received) => {
        client.write(get("/"))
        await until(() => received().endsWith("0\r\n\r\n"))
        const chunk = `4e20\r\n${"c".repeat(20_000)}\r\n`
        assert.isTrue(received().endsWith(`Transfer-Encoding: chunked\r\n\r\n${chunk}${chunk}${chunk}0\r\n\r\n`))
      }
    )
    const whole = written.filter((each) => typeof each !== "string" && each.length > content.length)
    assert.strictEqual(whole.length, 1)
    assert.strictEqual((whole[0] as Uint8Array).buffer, content.buffer)
  })

  it("ends the pieces, and goes on", async () => {
    await talk(
      (_, response) => {
        response.write("a")
        response.end("b")
      },
      async (client, received) => {
        client.write(get("/"))
        await until(() => received().endsWith("1\r\na\r\n1\r\nb\r\n0\r\n\r\n"))
        client.write(get("/"))
        await until(() => received().split("0\r\n\r\n").length === 3)
      }
    )
  })

  it("writes no body for a code that has none, and refuses a header that would end its line", async () => {
    await talk(
      (_, response) => {
        assert.throws(() => response.setHeader("X", "a\r\nY: b"), /characters/)
        assert.throws(() => response.setHeader("X\r\n", "a"), /characters/)
        response.statusCode = 304
        response.end("a")
      },
      async (client, received) => {
        client.write(get("/"))
        await until(() => received().endsWith("Keep-Alive: timeout=9\r\n\r\n"))
      }
    )
  })

  it("ends with its answer when it is to finish, and at once without one", async () => {
    const responses: Array<PlainResponse> = []
    const handle: Handle = (_, response) => void responses.push(response)
    await talk(handle, async (client, received, [connection]) => {
      client.write(get("/"))
      await until(() => responses.length === 1)
      connection?.finish()
      responses[0]?.end("last")
      await until(() => received().endsWith("last") && client.readableEnded)
      assert.include(received(), "\r\nConnection: close\r\n")
    })
    await talk(handle, async (client, received, [connection]) => {
      client.write(get("/"))
      await until(() => responses.length === 2)
      responses[1]?.end("kept")
      await until(() => received().endsWith("kept") && responses[1]?.destroyed === true)
      connection?.finish()
      await until(() => client.closed)
    })
  })
})
