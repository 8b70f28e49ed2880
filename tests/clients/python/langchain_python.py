"""LangChain for Python, with chat completions."""

from langchain_openai import ChatOpenAI

from langchain_kit import serve_chat

serve_chat(lambda url, name: ChatOpenAI(base_url=url, model=name, api_key="none"))
