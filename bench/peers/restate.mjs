// Restate: a service whose handler does steps that do nothing, and the load on it. Two processes of this file, so that the
// load does not wait for the service:
//   restate.mjs serve PORT            restate.mjs load INGRESS_PORT
// The moments of each step are the handler's own, so that neither the start of a run nor the answer counts (see rounds.py).
import { Agent, request } from "node:http";
import { createServer } from "node:http2";

const WARM = 5, ROUNDS = 10;
const [what, port] = [process.argv[2], Number(process.argv[3])];
const now = () => performance.timeOrigin + performance.now();
const nothing = () => 0;

async function serve() {
  const restate = await import("@restatedev/restate-sdk");
  const run = async (ctx, steps) => {
    const moments = [now()];
    for (let step = 0; step < steps; step++) {
      await ctx.run(nothing);
      moments.push(now());
    }
    return moments;
  };
  const bench = restate.service({ name: "bench", handlers: { run } });
  createServer(restate.createEndpointHandler({ services: [bench] })).listen(port, "127.0.0.1", () => console.log("ready"));
}

const agent = new Agent({ keepAlive: true, maxSockets: 100 });
const post = { agent, host: "127.0.0.1", port, path: "/bench/run", method: "POST", headers: { "content-type": "application/json" } };
const run = (steps) => new Promise((resolve, reject) => {
  const call = request(post, (answer) => {
    let body = "";
    answer.on("data", (data) => (body += data));
    answer.on("end", () => (answer.statusCode === 200 ? resolve(JSON.parse(body)) : reject(new Error(body))));
  });
  call.on("error", reject);
  call.end(JSON.stringify(steps));
});
const together = () => Promise.all(Array.from({ length: 100 }, () => run(20)));
const tell = (part, values, unit) =>
  console.log(JSON.stringify({ part, rounds: values.map((value) => Math.round(value * 10) / 10), unit }));

async function load() {
  for (let round = 0; round < WARM; round++) await together();
  const rates = [];
  for (let round = 0; round < ROUNDS; round++) {
    const moments = (await together()).flat();
    rates.push((100 * 20 * 1000) / (Math.max(...moments) - Math.min(...moments)));
  }
  tell("many", rates, "steps/s");
  const medians = [];
  for (let round = 0; round < ROUNDS; round++) {
    const moments = await run(200);
    const each = moments.slice(1).map((after, step) => after - moments[step]);
    medians.push(1000 * each.sort((one, other) => one - other)[each.length / 2]);
  }
  tell("one", medians, "µs");
  // What this process took is the load's, not Restate's.
  console.log(JSON.stringify({ steps: (WARM + ROUNDS) * 100 * 20 + ROUNDS * 200, cpu_s: 0 }));
}

await { serve, load }[what]();
if (what === "load") process.exit(0);
