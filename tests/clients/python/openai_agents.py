"""OpenAI's agents: a tool is called, and its result goes back to the model, within one run."""

import asyncio
import threading

from agents import (Agent, OpenAIProvider, RunConfig, Runner, function_tool, set_tracing_disabled)

from jobs import serve

set_tracing_disabled(True)  # else it tells OpenAI of each run


@function_tool
def note(text: str) -> str:
    """Takes a note"""
    return "taken"


def agent(job):
    """In a loop, the first agent hands over to one that has the tool."""
    able = Agent(name="able", instructions="Be able." if job.get("loop") else None,
                 tools=[note] if job["tools"] else [])
    return Agent(name="first", handoffs=[able]) if job.get("loop") else able


async def talk(job, say):
    how = RunConfig(model=job["model"],
                    model_provider=OpenAIProvider(base_url=job["url"], api_key="none"))
    if not job["stream"]:
        say((await Runner.run(agent(job), job["prompt"], run_config=how)).final_output)
        return
    answer = Runner.run_streamed(agent(job), job["prompt"], run_config=how)
    async for event in answer.stream_events():
        if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
            say(event.data.delta)


loop = asyncio.new_event_loop()  # one for all, as the clients within are shared
threading.Thread(target=loop.run_forever, daemon=True).start()
serve(lambda job, say: asyncio.run_coroutine_threadsafe(talk(job, say), loop).result())
