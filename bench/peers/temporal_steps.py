"""Temporal: a workflow of activities that do nothing. temporal_steps.py HOST:PORT"""

import asyncio
import sys
from datetime import timedelta

from temporalio import activity, workflow
from temporalio.client import Client
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

import rounds

BEGUN = {}


@activity.defn
async def step(run: str) -> None:
    BEGUN[run].append(rounds.now())


@workflow.defn
class Bench:
    @workflow.run
    async def run(self, steps: int) -> None:
        for _ in range(steps):
            await workflow.execute_activity(
                step, workflow.info().workflow_id, start_to_close_timeout=timedelta(seconds=60)
            )


async def main(place):
    client = await Client.connect(place)
    number = iter(range(1_000_000))

    async def run(steps):
        name = f"run-{next(number)}"
        # When each step begins: the one before is durable then. The last ends about when the workflow does.
        BEGUN[name] = []
        await client.execute_workflow(Bench.run, steps, id=name, task_queue="bench")
        return BEGUN[name] + [rounds.now()]

    worker = Worker(
        client,
        task_queue="bench",
        workflows=[Bench],
        activities=[step],
        workflow_runner=UnsandboxedWorkflowRunner(),
        max_concurrent_activities=100,
        max_concurrent_workflow_tasks=100,
        max_concurrent_workflow_task_polls=10,
        max_concurrent_activity_task_polls=10,
    )
    async with worker:
        await rounds.measure(run)


asyncio.run(main(sys.argv[1]))
