"""openai-python with its class for Azure, whose paths name a deployment."""

import functools

import openai

from jobs import serve
from openai_python import talk


@functools.cache
def sdk(url):
    return openai.AzureOpenAI(azure_endpoint=url, api_key="none", api_version="2024-10-21",
                              _strict_response_validation=True)


serve(lambda job, say: talk(sdk(job["url"]), job, say))
