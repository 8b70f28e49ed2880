"""LangChain for Python, with Anthropic's messages."""

from langchain_anthropic import ChatAnthropic

from langchain_kit import serve_chat

serve_chat(lambda url, name: ChatAnthropic(base_url=url, model=name, api_key="none"))
